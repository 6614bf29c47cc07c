import { ReadThroughCache } from '@weft/concurrency';
import { SystemScope } from '@weft/store';
import { type DestinationDocument, type DestinationRepository } from '@weft/records';
import { LRUCache } from 'lru-cache';

const MAX_COMPANIES = 10_000;
const READS_ALL = new SystemScope('a worker reads the destinations of the companies whose flows it runs');

/** What is stored of the destinations of a company, by `host:port`: nothing of those that nobody limits and that are up. */
export interface CompanyDestinations {
  readonly byAddress: ReadonlyMap<string, DestinationDocument>;
}

interface ReadDestinations extends CompanyDestinations {
  readonly stamp: number;
}

/**
 * The destinations of the companies whose flows run here. Once a second, one query reads the stamps of these companies; the
 * destinations themselves are read when the stamp is another.
 */
export function destinationBook(
  destinations: Pick<DestinationRepository, 'stamps' | 'ofCompanies'>,
  monotonicMs: () => number,
): ReadThroughCache<CompanyDestinations> {
  const known = new LRUCache<string, ReadDestinations>({ max: MAX_COMPANIES });
  return new ReadThroughCache<CompanyDestinations>({
    max: MAX_COMPANIES,
    monotonicMs,
    ask: async (companyIds) => {
      const stamps = await destinations.stamps(READS_ALL, companyIds);
      const stampOf = (id: string) => stamps.get(id) ?? 0;
      const old = companyIds.filter((id) => known.get(id)?.stamp !== stampOf(id));
      const found = old.length === 0 ? [] : await destinations.ofCompanies(READS_ALL, old);
      const byCompany = Object.groupBy(found, (each) => each.company_id);
      for (const id of old) {
        const byAddress = new Map((byCompany[id] ?? []).map((each) => [each.address, each] as const));
        known.set(id, { byAddress, stamp: stampOf(id) });
      }
      return new Map(companyIds.flatMap((id) => ((read) => (read ? [[id, read] as const] : []))(known.get(id))));
    },
  });
}
