import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function StartPage() {
  return <Page title="Get started">Not made yet.</Page>
}
