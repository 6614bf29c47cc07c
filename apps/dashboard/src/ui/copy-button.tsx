import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './icon';

interface CopyButtonProps {
  /** What is copied. */
  readonly text: string;
  readonly children: string;
}

export function CopyButton({ text, children }: CopyButtonProps) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <Button
      variant="default"
      leftSection={<Icon name={copied ? 'check' : 'copy'} size={13} />}
      onClick={() => copy(text)}
    >
      <span aria-live="polite">{copied ? 'Copied' : children}</span>
    </Button>
  );
}
