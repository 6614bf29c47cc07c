import { Anchor } from '@mantine/core';
import { answerOf, api } from '../../api/client';
import { Paged } from '../../ui/paged';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { usePages } from '../../ui/use-pages';
import classes from '../admin.module.css';
import { COMPANY_JOBS_KEY, type CompanyJob } from './company';

const EVERY_MS = 3_000;
const KINDS: Readonly<Record<CompanyJob['kind'], string>> = {
  export: 'Export',
  import: 'Import',
  erasure: 'Erasure',
};

/** Exports, imports and erasures, and what an import leaves to be given. */
export function CompanyJobs() {
  const pages = usePages(
    COMPANY_JOBS_KEY,
    (cursor) => answerOf(api.GET('/api/v1/company-jobs', { params: { query: cursor } })),
    (jobs) => jobs.some(({ state }) => state === 'running') && EVERY_MS,
  );
  return (
    <Paged pages={pages}>
      {(jobs) => (
        <Table
          caption="Exports, imports and erasures"
          columns={['What', 'Company', 'State', 'Documents', 'By', 'Since', '']}
          empty="None yet."
          rows={jobs.map((job) => ({
            key: job.id,
            cells: [
              KINDS[job.kind],
              job.company_name,
              <span key="state" className={job.state === 'failed' ? classes.bad : undefined}>
                {job.state}
              </span>,
              <span key="counts" className="num">
                {documentsOf(job).toLocaleString()}
              </span>,
              job.requested_by,
              <Time key="since" at={job.created_at} />,
              <Outcome key="outcome" job={job} />,
            ],
          }))}
        />
      )}
    </Paged>
  );
}

function Outcome({ job: { error, file, left_to_give } }: { readonly job: CompanyJob }) {
  if (error !== null) return <>{error}</>;
  if (file !== null)
    return (
      <Anchor href={file} download>
        Download
      </Anchor>
    );
  const left = Object.entries(left_to_give).filter(([, names]) => names.length > 0);
  if (left.length === 0) return null;
  return (
    <details>
      <summary>To be given</summary>
      {left.map(([kind, names]) => (
        <div key={kind}>
          {kind.replace('_', ' ')}: {names.join(', ')}
        </div>
      ))}
    </details>
  );
}

function documentsOf({ counts }: CompanyJob): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
