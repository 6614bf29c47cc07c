import type { FileValue } from '@weft/contracts';
import * as s from '../http/schema.js';

export interface UploadView extends FileValue {
  /** Unless it is used before. */
  readonly expires_at: string;
}

export const uploadSchema = s.named(
  'Upload',
  s.object<UploadView>({
    $ref: { ...s.text, description: 'What args and bodies refer to it by, and the path that gives the bytes.' },
    bytes: s.integer,
    contentType: s.text,
    filename: s.textOrNull,
    sha256: { ...s.text, description: 'Hexadecimal, of the bytes as they were received.' },
    expires_at: { ...s.time, description: 'When it is deleted if no run uses it before; each use adds a day.' },
  }),
);
