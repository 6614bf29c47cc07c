/** A value that nobody changes, as `z.infer` does not say it. */
export type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: Plain<T[Field]> }
    : T;

/** With every field: what may be left out is null then. */
export type Shown<T> = { readonly [Field in keyof T]-?: Exclude<T[Field], undefined> };
