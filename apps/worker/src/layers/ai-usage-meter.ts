import type { Settings } from '@weft/config';
import type { AiUsage } from '@weft/layers';
import type { Metrics } from '@weft/observability';

const MILLION = 1_000_000;
/** How many providers, besides those with a price, get their own metric label: users choose the names of links. */
const MAX_PROVIDERS = 30;

/** Counts tokens and costs of language models. The cost comes from their answers, otherwise from the operator's prices. */
export class AiUsageMeter {
  private readonly shown: Set<string>;
  private readonly max: number;

  constructor(
    private readonly prices: Settings['ai']['prices'],
    private readonly metrics: Pick<Metrics, 'aiUsed'>,
  ) {
    this.shown = new Set(prices.map(({ provider }) => provider));
    this.max = this.shown.size + MAX_PROVIDERS;
  }

  /** @returns dollars; null when the price is unknown */
  account(use: AiUsage): number | null {
    const dollars = use.cost ?? this.costOf(use);
    this.metrics.aiUsed(this.label(use.provider), use.tokensIn + use.tokensOut, dollars);
    return dollars;
  }

  private costOf({ provider, model, tokensIn, tokensOut }: AiUsage): number | null {
    const own = this.prices.filter((price) => price.provider === provider);
    const price = own.find((one) => one.model === model) ?? own.find((one) => one.model === '*');
    return price ? (tokensIn * price.dollarsIn + tokensOut * price.dollarsOut) / MILLION : null;
  }

  private label(provider: string): string {
    if (this.shown.size < this.max) this.shown.add(provider);
    return this.shown.has(provider) ? provider : 'other';
  }
}
