import { SystemScope } from '@weft/store';
import { type LeasesRepository, type WebhookOutboxesRepository } from '@weft/records';

/** Of a process that dies, another one takes the companies after this time. */
const LEASE_MS = 12_000;
/** What is sent goes out only on a renewal that was sent less than this ago, by this process's monotonic clock. */
const PROOF_MS = 8_000;
const PAGE = 500;
const ALL = new SystemScope('schedulers share the webhooks of all companies among them');

/** Which companies' webhooks this process delivers. */
export class OutboxLeases {
  /** When the renewal was sent that holds it, monotonic ms. */
  private readonly provenAt = new Map<string, number>();

  constructor(
    private readonly outboxes: Pick<WebhookOutboxesRepository, 'companies'>,
    private readonly leases: Pick<LeasesRepository, 'take' | 'renew' | 'release' | 'held'>,
    private readonly owner: string,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  get owned(): readonly string[] {
    return [...this.provenAt.keys()];
  }

  /** Whether something may be sent for the company now. */
  isProven(companyId: string): boolean {
    const at = this.provenAt.get(companyId);
    return at !== undefined && this.monotonicMs() - at < PROOF_MS;
  }

  /** Renews what this process has, and takes what nobody has. */
  async pass(): Promise<void> {
    await this.renew();
    for (let after: string | null = ''; after !== null;) {
      const page: readonly string[] = await this.outboxes.companies(ALL, after, PAGE);
      const others = page.filter((id) => !this.provenAt.has(id));
      const held = await this.leases.held(ALL, others.map(nameOf));
      for (const id of others) if (!held.has(nameOf(id))) await this.take(id);
      after = page.length === PAGE ? (page.at(-1) ?? null) : null;
    }
  }

  /** Others need not wait until the leases are over. */
  async giveBack(): Promise<void> {
    const { owned } = this;
    this.provenAt.clear();
    await this.leases.release(ALL, owned.map(nameOf), this.owner);
  }

  private async renew(): Promise<void> {
    const sentAt = this.monotonicMs();
    const held = await this.leases.renew(ALL, this.owned.map(nameOf), this.owner, LEASE_MS);
    for (const id of this.owned) {
      if (held.has(nameOf(id))) this.provenAt.set(id, sentAt);
      else this.provenAt.delete(id);
    }
  }

  private async take(id: string): Promise<void> {
    const sentAt = this.monotonicMs();
    const lease = { name: nameOf(id), holder: this.owner };
    if (await this.leases.take(ALL, lease, LEASE_MS)) this.provenAt.set(id, sentAt);
  }
}

function nameOf(companyId: string): string {
  return `webhooks:${companyId}`;
}
