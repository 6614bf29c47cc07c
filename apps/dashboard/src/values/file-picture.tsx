import { Button } from '@mantine/core';
import type { FileValue } from '@weft/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readBytes } from '../api/read-bytes';
import { bytesText } from '../ui/bytes';
import { ErrorNotice } from '../ui/error-notice';
import { pictureType, SMALL_BYTES } from './pictures';
import classes from './value-view.module.css';

/** A picture that is a file. The API gives files as attachments without a type: it is shown from its bytes. */
export function FilePicture({ file: { $ref, bytes, filename, contentType } }: { readonly file: FileValue }) {
  const [isWanted, setWanted] = useState(bytes <= SMALL_BYTES);
  const name = filename ?? 'file';
  const { data, error } = useQuery({
    queryKey: ['picture', $ref],
    enabled: isWanted,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
    queryFn: async () => dataUrl(await readBytes($ref), pictureType(contentType) ?? ''),
  });
  if (!isWanted) {
    return (
      <Button variant="default" onClick={() => setWanted(true)}>
        Show {name} ({bytesText(bytes)})
      </Button>
    );
  }
  if (error) return <ErrorNotice error={error} />;
  if (data === undefined) return null;
  return (
    <figure className={classes.picture}>
      <img src={data} alt={name} />
      <figcaption className="soft">{name}</figcaption>
    </figure>
  );
}

function dataUrl(bytes: ArrayBuffer, type: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('the picture cannot be read'));
    reader.readAsDataURL(new Blob([bytes], { type }));
  });
}
