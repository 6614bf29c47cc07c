import { WeftError } from '@weft/kernel';
import { Places, type PlacesOptions } from '@weft/sandbox';

type Piece = () => Promise<void>;

export interface DryRunPlacesOptions extends Pick<PlacesOptions<Piece>, 'places' | 'slow' | 'nowMs'> {
  /** Requests of one company at work and in line. */
  readonly requestsPerCompany: number;
}

/** Waits for the company's turn, and works on one piece of a request in it. */
export type TakeTurn = <T>(piece: () => Promise<T>) => Promise<T>;

/**
 * Places for work that weighs on the process: so many pieces at once, one of each company, next who has had the least time. A
 * request of many pieces is in line for each of them, so that it keeps others waiting for one.
 */
export class DryRunPlaces {
  private readonly places: Places<Piece>;
  private readonly present = new Map<string, number>();

  constructor(private readonly options: DryRunPlacesOptions) {
    this.places = new Places<Piece>({
      places: options.places,
      slow: options.slow,
      nowMs: options.nowMs,
      mostOfCompany: 1,
      // What may wait is bounded by requests: each has one piece in line.
      limits: { perCompany: options.requestsPerCompany, total: Number.POSITIVE_INFINITY },
      work: (piece) => piece(),
    });
  }

  /** @throws WeftError `too_many_dry_runs`, and what `request` throws */
  async hold<T>(company: string, request: (takeTurn: TakeTurn) => Promise<T>): Promise<T> {
    const present = this.present.get(company) ?? 0;
    if (present >= this.options.requestsPerCompany) {
      const detail = 'Dry runs of your company are at work and in line already; try again when they have ended.';
      throw new WeftError('too_many_dry_runs', detail, { retryAfterSeconds: 1 });
    }
    this.present.set(company, present + 1);
    try {
      return await request((piece) => this.inTurn(company, piece));
    } finally {
      const left = (this.present.get(company) ?? 1) - 1;
      if (left === 0) this.present.delete(company);
      else this.present.set(company, left);
    }
  }

  private inTurn<T>(company: string, piece: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.places.add(company, () => piece().then(resolve, reject));
    return promise;
  }
}
