const WELL_FORMED = /^[A-Za-z0-9._:-]{1,128}$/;

/** Whether a text can be the id of a request: those that are sent otherwise are replaced. */
export const isRequestId = (text: string): boolean => WELL_FORMED.test(text);
