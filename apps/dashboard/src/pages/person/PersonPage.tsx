import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function PersonPage() {
  return <Page title="Person">Not made yet.</Page>
}
