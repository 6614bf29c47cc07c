import { describe, expect, it } from 'vitest';
import { Bytes } from '../bytes.js';
import { counted, Packet } from './packet.js';
import { readColumn, writeParameter } from './values.js';
import { text } from './mysql-server.fixture.js';

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

function columnOf(
  type: number,
  { flags = 0, charset = 63, length = 20, decimals = 0, more = null as Buffer | null } = {},
) {
  const names = ['def', '', 't', 't', 'a', 'a'].map(text);
  const tail = Buffer.alloc(13);
  tail.writeUInt8(0x0c, 0);
  tail.writeUInt16LE(charset, 1);
  tail.writeUInt32LE(length, 3);
  tail.writeUInt8(type, 7);
  tail.writeUInt16LE(flags, 8);
  tail.writeUInt8(decimals, 10);
  const extended = more === null ? [] : [Buffer.concat([counted(more.byteLength), more])];
  return readColumn(new Packet(Buffer.concat([...names, ...extended, tail])), more !== null);
}

describe('values of MySQL', () => {
  it.each([
    [1, { flags: 0x20 }, 'ff', 255],
    [1, {}, 'ff', -1],
    [2, {}, 'ff7f', 32767],
    [3, { flags: 0x20 }, 'ffffffff', 4294967295],
    [8, { flags: 0x20 }, 'ffffffffffffffff', '18446744073709551615'],
    [8, {}, '0000000000000080', '-9223372036854775808'],
    [4, {}, 'cdcccc3d', 0.1],
    [4, {}, 'ffff7f7f', 3.4028235e38],
    [4, {}, '0000807f', 'Infinity'],
    [5, {}, '9a9999999999b93f', 0.1],
    [5, {}, '000000000000f87f', 'NaN'],
    [10, {}, '00', '0000-00-00'],
    [10, {}, '04 ea07 0b 1c', '2026-11-28'],
    [12, {}, '00', '0000-00-00T00:00:00'],
    [12, {}, '04 ea07 0b 1c', '2026-11-28T00:00:00'],
    [12, { decimals: 6 }, '0b ea07 0b 1c 16 20 2d 20440700', '2026-11-28T22:32:45.476192'],
    [12, { decimals: 3 }, '07 ea07 0b 1c 16 20 2d', '2026-11-28T22:32:45.000'],
    [7, {}, '07 ea07 0b 1c 16 20 2d', '2026-11-28T22:32:45+00:00'],
    [11, {}, '00', '00:00:00'],
    [11, { decimals: 1 }, '0c 01 22000000 16 3b 3b 20a10700', '-838:59:59.5'],
    [16, { length: 3 }, '01 05', '101'],
    [16, { length: 12 }, '02 0005', '000000000101'],
    [246, {}, '04 312e3130', '1.10'],
    [253, {}, '02 00ff', new Bytes(Buffer.from([0, 255]))],
    [253, { charset: 45 }, '04 f09f9880', '😀'],
    [255, {}, '01 07', new Bytes(Buffer.from([7]))],
    [245, {}, '07 7b2261223a317d', { a: 1 }],
    [252, { charset: 45, more: Buffer.from('\x01\x04json') }, '03 5b315d', [1]],
    [254, { more: Buffer.from('\x00\x04uuid'), charset: 45 }, '01 78', 'x'],
  ])('of the type %i %j: %s', (type, of, hex, value) => {
    const packet = new Packet(bytesOf(hex));
    expect(columnOf(type, of).read(packet)).toEqual(value);
    expect(packet.isAtEnd).toBe(true);
  });

  it('are named by their types', () => {
    const names = [
      ...[columnOf(3, { flags: 0x20 }), columnOf(9), columnOf(252), columnOf(252, { charset: 45 }), columnOf(254)],
      ...[columnOf(254, { charset: 45, flags: 0x100 }), columnOf(254, { charset: 45, flags: 0x800 }), columnOf(242)],
      columnOf(254, { more: Buffer.from('\x00\x04uuid') }),
    ].map(({ type }) => type);
    expect(names).toEqual(['int unsigned', 'mediumint', 'blob', 'text', 'binary', 'enum', 'set', 'vector', 'uuid']);
  });

  it.each([
    [12, '05 0102030405'],
    [11, '01 00'],
    [3, '0000'],
    [253, 'fe ffffffffffffffff'],
    [253, 'fb'],
    [253, 'ff'],
  ])('of the type %i with the bytes %s are refused', (type, hex) =>
    expect(() => columnOf(type).read(new Packet(bytesOf(hex)))).toThrow(RangeError),
  );
});

describe('values of parameters', () => {
  it.each([
    [null, 6, false, ''],
    [true, 1, false, '01'],
    [7, 8, true, '0700000000000000'],
    [-7, 8, false, 'f9ffffffffffffff'],
    [1.5, 5, false, '000000000000f83f'],
    [2 ** 60, 5, false, '000000000000b043'],
    [18446744073709551615n, 8, true, 'ffffffffffffffff'],
    [18446744073709551616n, 253, false, '143138343436373434303733373039353531363136'],
    ['a\0', 253, false, '026100'],
    [[1, 'a'], 253, false, '075b312c2261225d'],
    [{ a: 7615917337495251231n }, 253, false, undefined],
  ])('%s', (value, type, isUnsigned, hex) => {
    const written = writeParameter(value);
    expect(written).toMatchObject({ type, isUnsigned });
    if (hex !== undefined) expect(written.bytes.toString('hex')).toBe(hex);
  });

  it.each([0, 250, 251, 65_535, 65_536, 16_777_215, 16_777_216])('of %i bytes say their length', (length) => {
    expect(Number(new Packet(counted(length)).counted())).toBe(length);
  });
});
