import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import type { Warning } from '@weft/contracts';
import { createAddressGuard, refusalOfUrl, type AddressGuard } from '@weft/egress';
import type { LayerDefinition } from '@weft/engine';
import { destinationsOf } from '@weft/layers';

/**
 * Warns of addresses that layers may not call by the current settings of this process. The warnings are not stored with the
 * flow, because an operator may allow an address at any time.
 */
@Injectable()
export class Destinations {
  private readonly guard: AddressGuard;

  constructor(@Inject(SETTINGS) { egress }: Settings) {
    this.guard = createAddressGuard(egress);
  }

  warningsOf(layer: Pick<LayerDefinition, 'appId' | 'args'>): Warning[] {
    return destinationsOf(layer).flatMap(({ path, url }) => {
      const message = refusalOfUrl(url, this.guard);
      return message === null ? [] : [{ path, code: 'destination_blocked', message }];
    });
  }
}
