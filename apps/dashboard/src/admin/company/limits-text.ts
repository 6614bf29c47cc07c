import { bytesText } from '../../ui/bytes';
import type { Company } from './company';

/** The limits of its own that a company has. */
export function limitsText({ backlog_max, runs_per_second, bytes_max, worker_label }: Company): string {
  const limits = [
    runs_per_second !== null && `${runs_per_second.toLocaleString()} runs a second`,
    backlog_max !== null && `${backlog_max.toLocaleString()} waiting plays`,
    bytes_max !== null && bytesText(bytes_max),
    worker_label !== null && `workers labelled ${worker_label}`,
  ].filter((limit) => limit !== false);
  return limits.length === 0 ? 'as the installation says' : limits.join(', ');
}
