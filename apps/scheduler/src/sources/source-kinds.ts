import { Injectable } from '@nestjs/common';
import type { SourceType } from '@weft/shapes';
import type { SourceKind } from './source.js';

/** Where each type of source is. */
@Injectable()
export class SourceKinds {
  private readonly kinds: Partial<Record<SourceType, SourceKind>> = {};

  of(type: string): SourceKind {
    const kind = this.kinds[type as SourceType];
    if (!kind) throw new TypeError(`no source reads for a trigger of type ${type}`);
    return kind;
  }
}
