import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function PeoplePage() {
  return <Page title="People">Not made yet.</Page>
}
