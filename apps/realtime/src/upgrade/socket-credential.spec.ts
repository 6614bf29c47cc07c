import { describe, expect, it } from 'vitest';
import { socketCredential } from './socket-credential.js';

const sid = { kind: 'session', sid: 's1' };
const token = (text: string) => ({ kind: 'bearer', token: text });

describe('the credential of a socket', () => {
  it('is the cookie, the header or the subprotocol', () => {
    expect(socketCredential({ cookie: 'a=b; sid=s1' })).toEqual(sid);
    expect(socketCredential({ authorization: 'Bearer t1' })).toEqual(token('t1'));
    expect(socketCredential({ authorization: 'bearer  t1 ' })).toEqual(token('t1'));
    expect(socketCredential({ 'sec-websocket-protocol': 'bearer, t2' })).toEqual(token('t2'));
    expect(socketCredential({ 'sec-websocket-protocol': 'weft.v1,bearer,t2' })).toEqual(token('t2'));
  });

  it('is the header before the subprotocol before the cookie, right or wrong', () => {
    const all = { authorization: 'Bearer t1', 'sec-websocket-protocol': 'bearer, t2', cookie: 'sid=s1' };
    expect(socketCredential(all)).toEqual(token('t1'));
    expect(socketCredential({ ...all, authorization: undefined })).toEqual(token('t2'));
    expect(socketCredential({ ...all, authorization: 'Basic YTpi' })).toBeNull();
    expect(socketCredential({ cookie: 'sid=s1', 'sec-websocket-protocol': 'bearer' })).toBeNull();
  });

  it('is none where nothing says who is calling', () => {
    expect(socketCredential({})).toBeNull();
    expect(socketCredential({ cookie: 'sidecar=s1', 'sec-websocket-protocol': 'weft.v1' })).toBeNull();
    expect(socketCredential({ authorization: 'Bearer' })).toBeNull();
  });
});
