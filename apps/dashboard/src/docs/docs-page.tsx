import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useState, type MouseEvent } from 'react';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';
import { Icon } from '../ui/icon';
import { Page } from '../ui/page';
import { FoundPlaces } from './found-places';
import { PAGES, type DocsPage as Docs } from './pages';
import classes from './docs.module.css';

/** The documents of this version, from this installation. */
export function DocsPage() {
  const { _splat: path = '' } = useParams({ from: '/shell/docs/$' });
  return <OneOrFound key={path} path={path.replace(/\/$/, '')} />;
}

function OneOrFound({ path }: { readonly path: string }) {
  const [text, setText] = useState('');
  const page = PAGES.find((each) => each.path === path);
  return (
    <Page
      title={page?.title ?? 'Documents'}
      help={null}
      aside={
        <>
          {path !== '' && (
            <Link to="/docs/$" params={{ _splat: '' }}>
              All documents
            </Link>
          )}
          <div role="search">
            <form onSubmit={(event) => event.preventDefault()}>
              <TextInput
                aria-label="Find in the documents"
                placeholder="Find in the documents"
                leftSection={<Icon name="search" size={13} />}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            </form>
          </div>
        </>
      }
    >
      {text.trim() !== '' ? (
        <FoundPlaces text={text} onGo={() => setText('')} />
      ) : page ? (
        <Text page={page} />
      ) : (
        <Absent />
      )}
    </Page>
  );
}

function Absent() {
  return (
    <EmptyState title="There is no such document">
      <Link to="/docs/$" params={{ _splat: '' }}>
        All documents
      </Link>
    </EmptyState>
  );
}

function Text({ page }: { readonly page: Docs }) {
  const { history } = useRouter();
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const { data: html, error } = useQuery({ queryKey: ['docs', page.path], queryFn: page.load, staleTime: Infinity });
  useEffect(() => {
    if (html !== undefined && hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [html, hash]);
  /** Links of the text stay in the page that is open, like all others. */
  const follow = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href');
    if (!href?.startsWith('/') || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.push(href);
  };
  const headings = page.places.filter(({ level }) => level === 2);
  if (error) return <ErrorNotice error={error} />;
  return (
    <div className={classes.columns}>
      {/* our own text, made when the dashboard was built */}
      <article className={classes.text} onClick={follow} dangerouslySetInnerHTML={{ __html: html ?? '' }} />
      {headings.length > 1 && (
        <nav aria-label="On this page" className={classes.contents}>
          {headings.map(({ id, text }) => (
            <Link key={id} to="/docs/$" params={{ _splat: page.path }} hash={id}>
              {text}
            </Link>
          ))}
        </nav>
      )}
    </div>
  );
}
