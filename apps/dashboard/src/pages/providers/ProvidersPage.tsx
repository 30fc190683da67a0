import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function ProvidersPage() {
  return <Page title="Providers">Not made yet.</Page>
}
