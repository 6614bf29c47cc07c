import { boundedErrors, MAX_ERRORS, type FieldError } from '@weft/kernel';

/** Faults of which each is counted and only as many of a code are kept as anybody reads. */
export class FaultCollector {
  /** In the order in which they were found. */
  readonly kept: FieldError[] = [];
  found = 0;
  private readonly byCode = new Map<string, number>();

  constructor(private readonly most = MAX_ERRORS) {}

  readonly add = (fault: FieldError): void => this.addLate(fault.code, () => fault);

  /** @param describe makes the fault; it is called only if the fault is kept */
  addLate(code: string, describe: () => FieldError): void {
    this.found += 1;
    const known = this.byCode.get(code) ?? 0;
    if (known >= this.most) return;
    this.byCode.set(code, known + 1);
    this.kept.push(describe());
  }

  /** The faults that an answer lists; the last one says how many more there are. */
  list(): readonly FieldError[] {
    return boundedErrors(this.kept, this.found);
  }
}
