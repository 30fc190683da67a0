import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function KeysPage() {
  return <Page title="Keys">Not made yet.</Page>
}
