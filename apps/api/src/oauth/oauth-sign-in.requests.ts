import { FlagParam, TextParam } from '../http/query-fields.js';

const MAX_PATH = 4_000;

export class BeginSignInQuery {
  @TextParam('Path on this site to go to in the end; by default /.', MAX_PATH)
  readonly returnTo?: string;

  @FlagParam('Ties the account at the provider to the user who is signed in, instead of signing in.')
  readonly link?: boolean;
}
