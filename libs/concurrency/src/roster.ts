/**
 * The members of a group that changes all the time, such as the plays that run now. Not a `Set`: V8 gives a `Set` or `Map` whose
 * entries change a new table again and again, and each old table refers to the next one and to what was in it. As soon as one
 * of them has outlived the young generation, all later ones are kept with their entries until the next full collection.
 */
export class Roster<Member> {
  private readonly seats: Seat<Member>[] = [];

  get size(): number {
    return this.seats.length;
  }

  /** @returns what removes it; to be called once */
  add(member: Member): () => void {
    const seat: Seat<Member> = { member, at: this.seats.length };
    this.seats.push(seat);
    return () => this.remove(seat);
  }

  /** Those of now, in no particular order. */
  members(): Member[] {
    return this.seats.map(({ member }) => member);
  }

  private remove(seat: Seat<Member>): void {
    const last = this.seats.pop();
    if (!last || last === seat) return;
    this.seats[seat.at] = last;
    last.at = seat.at;
  }
}

interface Seat<Member> {
  readonly member: Member;
  /** Its index. */
  at: number;
}
