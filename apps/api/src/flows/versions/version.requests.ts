import { IntParam } from '../../http/query-fields.js';

export class DiffQuery {
  @IntParam("The version to compare with, the flow's present one when left out.", 1, 1_000_000_000)
  readonly to?: number;
}
