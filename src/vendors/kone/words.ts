import { secret, text } from '../../adapter/kit/index.ts';

/** How a property manager is asked for the application and the building. */
export const fields = {
  client_id: text({
    en: { label: 'Client ID', hint: 'Of your application in the KONE API portal, dev.kone.com.' },
    sv: { label: 'Klient-id', hint: 'Står vid er applikation i KONE:s API-portal, dev.kone.com.' },
  }),
  client_secret: secret({
    en: { label: 'Client secret', hint: 'You received it when the application was created.' },
    sv: { label: 'Klienthemlighet', hint: 'Ni fick den när applikationen skapades.' },
  }),
  building: text(
    {
      en: {
        label: 'Building ID',
        hint: 'KONE gives it with the application, for example building:9990000951.',
        fault: 'Enter the ID as KONE writes it: letters and digits, with or without “building:”.',
      },
      sv: {
        label: 'Byggnadens id',
        hint: 'Ni får det av KONE med applikationen, till exempel building:9990000951.',
        fault: 'Skriv id:t som KONE skriver det: bokstäver och siffror, med eller utan ”building:”.',
      },
    },
    {
      pattern: '^\\s*(building:)?[A-Za-z0-9]{1,64}\\s*$',
      description: 'building:9990000951, or the id alone',
    },
  ),
  groups: text(
    {
      en: {
        label: 'Lift groups',
        hint: 'Numbers of the groups, such as 1 or 1,2. Leave it empty for group 1.',
        fault: 'Enter numbers with commas between them: 1,2',
      },
      sv: {
        label: 'Hissgrupper',
        hint: 'Gruppernas nummer, till exempel 1 eller 1,2. Lämna tomt för grupp 1.',
        fault: 'Skriv nummer med kommatecken emellan: 1,2',
      },
    },
    {
      isOptional: true,
      pattern: '^\\s*[0-9]{1,2}(\\s*,\\s*[0-9]{1,2}){0,98}\\s*$',
      description: 'Numbers of the groups, with commas between them; default 1',
    },
  ),
};
