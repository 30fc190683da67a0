import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function AppsPage() {
  return <Page title="Apps">Not made yet.</Page>
}
