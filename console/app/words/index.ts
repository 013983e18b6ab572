import { ENGLISH } from './en/index.ts';
import { SWEDISH } from './sv/index.ts';

/** The language of the page, which the service has chosen. */
export const language: 'en' | 'sv' = document.documentElement.lang.startsWith('sv') ? 'sv' : 'en';
export const words = language === 'sv' ? SWEDISH : ENGLISH;
