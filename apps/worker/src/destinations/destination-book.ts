import { ReadThroughCache } from '@weft/concurrency';
import { SystemScope, type DestinationDocument, type DestinationRepository } from '@weft/persistence';

const MAX_COMPANIES = 10_000;
const READS_ALL = new SystemScope('a worker reads the destinations of the companies whose flows it runs');

/** What is stored of the destinations of a company, by `host:port`: nothing of those that nobody limits and that are up. */
export interface CompanyDestinations {
  readonly byAddress: ReadonlyMap<string, DestinationDocument>;
}

/** The destinations of the companies whose flows run here, read again once a second, together. */
export function destinationBook(
  destinations: Pick<DestinationRepository, 'ofCompanies'>,
  monotonicMs: () => number,
): ReadThroughCache<CompanyDestinations> {
  return new ReadThroughCache<CompanyDestinations>({
    max: MAX_COMPANIES,
    monotonicMs,
    ask: async (companyIds) => {
      const found = Object.groupBy(await destinations.ofCompanies(READS_ALL, companyIds), (each) => each.company_id);
      const bookOf = (id: string) => new Map((found[id] ?? []).map((each) => [each.address, each] as const));
      return new Map(companyIds.map((id) => [id, { byAddress: bookOf(id) }] as const));
    },
  });
}
