import { useState } from 'react';

/** The fields of a dialog: as they were filled in, as they are now, and how some of them are set. */
export function useFields<Form extends object>(start: () => Form) {
  const [filledIn] = useState(start);
  const [form, setForm] = useState(filledIn);
  return {
    filledIn,
    form,
    set: (fields: Partial<Form>): void => setForm((before) => ({ ...before, ...fields })),
    isDirty: JSON.stringify(form) !== JSON.stringify(filledIn),
  };
}
