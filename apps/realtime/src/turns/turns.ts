import { CompanyLine } from './company-line.js';

/** Lets so many through at once; the others wait, the companies in turn. */
export class Turns {
  private free: number;
  private readonly waiting = new CompanyLine<() => void>();

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  /** Resolves when it may begin; gives the way to end. */
  async begin(companyId: string): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.add(companyId, resolve));
    return () => {
      const next = this.waiting.shift();
      if (next) next.item();
      else this.free += 1;
    };
  }
}
