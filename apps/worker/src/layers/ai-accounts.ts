import type { Settings } from '@weft/config';
import type { AiUse } from '@weft/layers';
import type { Metrics } from '@weft/observability';

const MILLION = 1_000_000;
/** Providers with a figure of their own, besides those that have a price: anybody may name a link as they like. */
const MAX_PROVIDERS = 30;

/** What language models take and cost: from their answers, else by the operator's prices. */
export class AiAccounts {
  private readonly shown: Set<string>;
  private readonly max: number;

  constructor(
    private readonly prices: Settings['ai']['prices'],
    private readonly metrics: Pick<Metrics, 'aiUsed'>,
  ) {
    this.shown = new Set(prices.map(({ provider }) => provider));
    this.max = this.shown.size + MAX_PROVIDERS;
  }

  /** @returns dollars; null when nobody says the price */
  account(use: AiUse): number | null {
    const dollars = use.cost ?? this.costOf(use);
    this.metrics.aiUsed(this.label(use.provider), use.tokensIn + use.tokensOut, dollars);
    return dollars;
  }

  private costOf({ provider, model, tokensIn, tokensOut }: AiUse): number | null {
    const own = this.prices.filter((price) => price.provider === provider);
    const price = own.find((one) => one.model === model) ?? own.find((one) => one.model === '*');
    return price ? (tokensIn * price.dollarsIn + tokensOut * price.dollarsOut) / MILLION : null;
  }

  private label(provider: string): string {
    if (this.shown.size < this.max) this.shown.add(provider);
    return this.shown.has(provider) ? provider : 'other';
  }
}
