import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function OverviewPage() {
  return <Page title="Overview">Not made yet.</Page>
}
