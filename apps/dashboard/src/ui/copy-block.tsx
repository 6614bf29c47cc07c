import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './icon';
import classes from './copy-block.module.css';

/** Lines to paste somewhere else. */
export function CopyBlock({ text }: { readonly text: string }) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <div className={classes.block}>
      <pre tabIndex={0} aria-label="Command">
        {text}
      </pre>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<Icon name={copied ? 'check' : 'copy'} size={13} />}
        onClick={() => copy(text)}
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
