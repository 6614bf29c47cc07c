import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SettingFault } from './parse.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The path of a file with certificates that can be read. */
export function certificateFile(path: string): string {
  readCertificates(path);
  return path;
}

/** @throws SettingFault for a file without a certificate, or with one that cannot be read */
export function readCertificates(path: string): string {
  const found = contentOf(path).match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new SettingFault(`${path} has no certificate; write the path of a PEM file`);
  for (const each of found) assertReadable(path, each);
  return found.join('\n');
}

/** @throws SettingFault for a file without a certificate and its private key */
export function readClientCertificate(path: string): void {
  readCertificates(path);
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(contentOf(path))) return;
  throw new SettingFault(`${path} has no private key; write the path of a PEM file with the certificate and its key`);
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingFault(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}); write the path of a PEM file`,
    );
  }
}

function assertReadable(path: string, pem: string): void {
  try {
    new X509Certificate(pem);
  } catch {
    throw new SettingFault(`${path} has a certificate that cannot be read; write the path of a PEM file`);
  }
}
