import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function ExplainPage() {
  return <Page title="Explain">Not made yet.</Page>
}
