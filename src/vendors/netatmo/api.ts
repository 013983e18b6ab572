import { errorCodes, objectIn, vendorCalls } from '../../adapter/kit/index.ts';

/** `{"error": {"code": 21, "message": …}}`, or `{"error": "too_many_connections"}`. */
export const { failure, isTokenRefused } = errorCodes('Netatmo', {
  codeIn: ({ error }) => objectIn(error).code ?? error,
  token: [2, 3],
  // With status 403 as well as 429.
  limited: [11, 26, 'too_many_connections'],
  refused: {
    9: 'the device does not exist; it is removed here once lists of the account confirm that',
    13: 'the account did not permit this; link it again and permit both reading and controlling its thermostats',
    21: 'the value is not allowed for the home, the room or its mode',
  },
});

/** Calls to Netatmo, with what its error codes mean. */
export const api = vendorCalls('Netatmo', { failure });
