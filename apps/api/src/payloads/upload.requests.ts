import { TextParam } from '../http/query-fields.js';

export class UploadQuery {
  @TextParam('The name of the file, for peers that get it and for who downloads it.', 255)
  readonly filename?: string;
}
