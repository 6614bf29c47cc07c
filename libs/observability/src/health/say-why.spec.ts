import { describe, expect, it } from 'vitest';
import { sayWhy } from './say-why.js';

const coded = (code: string, message = 'with {"token":"secret"}') => Object.assign(new Error(message), { code });

describe('what a store’s failure is called', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'certificate not accepted (CERT_HAS_EXPIRED)'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate not accepted (SELF_SIGNED_CERT_IN_CHAIN)'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate not accepted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate not accepted (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate not accepted (ERR_TLS_CERT_ALTNAME_INVALID)'],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'certificate not accepted (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
    ],
    [
      'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED',
      'certificate not accepted (ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED)',
    ],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
    ['ECONNREFUSED', 'connection failed (ECONNREFUSED)'],
    ['ENOTFOUND', 'name not resolved (ENOTFOUND)'],
    ['EAI_AGAIN', 'name not resolved (EAI_AGAIN)'],
    ['SOMETHING_ELSE', 'not usable'],
  ])('%s: %s', (code, said) => expect(sayWhy(coded(code))).toBe(said));

  it('names the certificate that is the cause of a cause, as MongoDB’s driver reports it', () => {
    const network = Object.assign(new Error('x', { cause: coded('CERT_HAS_EXPIRED') }), { name: 'MongoNetworkError' });
    const selection = Object.assign(new Error('x', { cause: network }), { name: 'MongoServerSelectionError' });
    expect(sayWhy(selection)).toBe('certificate not accepted (CERT_HAS_EXPIRED)');
  });

  it('names what is wrong with the server that mongoose could not select', () => {
    const selection = (cause: Error) =>
      Object.assign(new Error('x', { cause: { error: cause } }), { name: 'MongooseServerSelectionError' });
    const network = (message: string, cause?: Error) =>
      Object.assign(new Error(message, { cause }), { name: 'MongoNetworkError' });
    expect(sayWhy(selection(network('x', coded('CERT_HAS_EXPIRED'))))).toBe(
      'certificate not accepted (CERT_HAS_EXPIRED)',
    );
    expect(sayWhy(selection(network('connection <monitor> to 127.0.0.1:27017 closed')))).toBe('connection closed');
  });

  it.each(['Command timed out', "Socket timeout. Expecting data, but didn't receive any in 5000ms."])(
    'says of a Redis that is silent that it does not answer: %s',
    (message) => expect(sayWhy(new Error(message))).toBe('no answer in time'),
  );

  it('says the state that Redis itself names', () => {
    const refused = Object.assign(new Error("READONLY You can't write against a read only replica."), {
      name: 'ReplyError',
    });
    expect(sayWhy(refused)).toBe("READONLY You can't write against a read only replica.");
  });
});
