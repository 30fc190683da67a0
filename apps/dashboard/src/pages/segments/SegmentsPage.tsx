import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function SegmentsPage() {
  return <Page title="Segments">Not made yet.</Page>
}
