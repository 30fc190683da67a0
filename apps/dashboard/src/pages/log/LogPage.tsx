import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function LogPage() {
  return <Page title="Log">Not made yet.</Page>
}
