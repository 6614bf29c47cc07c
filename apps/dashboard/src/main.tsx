import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './theme/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client';
import { mayLoadAnew } from './load-anew';
import { router } from './router';
import { cssVariables, theme } from './theme/theme';
import { Notices } from './ui/notices';

/** The policy of the page allows the kit's style elements by this nonce only. */
const nonce = document.querySelector<HTMLElement>('script[nonce]')?.nonce;

// A new version was installed while the page was open: the file that it asks for is gone.
addEventListener('vite:preloadError', () => {
  if (mayLoadAnew(sessionStorage, Date.now())) location.reload();
});

const root = document.getElementById('root');
if (root) {
  const app = (
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce ?? ''}
      >
        <QueryClientProvider client={queryClient}>
          <Notices />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
  // drawn in turns: a slow processor stays free for what else comes
  startTransition(() => createRoot(root).render(app));
}
