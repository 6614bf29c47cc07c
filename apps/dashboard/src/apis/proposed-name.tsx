import { Button } from '@mantine/core';
import { useCommand } from '../ui/use-command';
import classes from './apis.module.css';

interface ProposedNameProps {
  readonly name: string;
  /** As the document or the server calls itself; null: it is not known yet. */
  readonly title: string | null;
  /** Of the document or the server; null: it has none. */
  readonly url: string | null;
  /** What says the title. */
  readonly says: string;
  readonly stales: readonly string[];
  readonly rename: (name: string) => Promise<unknown>;
}

/** What has the name of its host, because nobody has said another one, can have the title that it gives itself. */
export function ProposedName({ name, title, url, says, stales, rename: send }: ProposedNameProps) {
  const rename = useCommand({
    send: () => send(title ?? ''),
    stales,
    says: () => `It is called “${title}” now.`,
  });
  const isOfHost = url !== null && URL.parse(url)?.hostname === name;
  if (!isOfHost || title === null || title.trim() === '' || title === name) return null;
  return (
    <p className={classes.line}>
      {says} “{title}”.
      <Button size="compact-sm" variant="default" loading={rename.isPending} onClick={() => rename.mutate()}>
        Call it that
      </Button>
    </p>
  );
}
