/** First argument of every query on a tenant's data: there is no way to ask without naming the company. */
export class TenantScope {
  readonly #brand = 'tenant';
  constructor(readonly companyId: string) {
    if (!companyId) throw new TypeError('a tenant scope needs a company');
  }
  get kind(): 'tenant' {
    return this.#brand;
  }
}

/** For work above companies (reconciler, sign-in, operators). A type of its own, so that its uses can be found. */
export class SystemScope {
  readonly #brand = 'system';
  /** @param why one of the few reasons to look across companies; kept for readers of the code and of traces. */
  constructor(readonly why: string) {}
  get kind(): 'system' {
    return this.#brand;
  }
}
