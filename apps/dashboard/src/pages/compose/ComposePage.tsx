import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function ComposePage() {
  return <Page title="Compose">Not made yet.</Page>
}
