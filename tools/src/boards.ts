// `npm run docs` writes the boards of deploy/grafana from this table. Grafana imports them (Dashboards, New, Import) and asks for the source.

/** `unit` is one of Grafana's. `legend` names a series by its labels. */
export type Panel = {
  title: string
  query: string
  unit: 'short' | 's' | 'reqps' | 'percentunit' | 'bytes'
  legend?: string
  meaning?: string
}
export type Board = { uid: string; title: string; panels: Panel[] }

const p99 = (metric: string, by: string) => `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket[5m])))`
const perSecond = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[1m]))`
const most = (metric: string, by: string) => `max by (${by}) (${metric})`

export const boards: Board[] = [
  {
    uid: 'herald-overview',
    title: 'Herald: overview',
    panels: [
      { title: 'Pushes', query: perSecond('herald_pushes_total', 'platform, outcome'), unit: 'reqps', legend: '{{platform}} {{outcome}}' },
      {
        title: 'Sends answered 5xx',
        query:
          'sum(rate(herald_http_requests_total{route="sendNotification", status=~"5.."}[5m])) / sum(rate(herald_http_requests_total{route="sendNotification"}[5m]))',
        unit: 'percentunit',
        meaning: 'At most 0.05 % in 30 days.',
      },
      { title: 'Slowest of a hundred sends accepted', query: p99('herald_http_request_seconds', 'route'), unit: 's', legend: '{{route}}' },
      { title: 'Counters and ledger differ', query: 'max(herald_ledger_difference)', unit: 'short', meaning: 'Must be 0.' },
      {
        title: 'Oldest due row',
        query: most('herald_due_age_seconds', 'queue'),
        unit: 's',
        legend: '{{queue}}',
        meaning: 'Above 30 s sends are late.',
      },
      {
        title: 'Open circuits',
        query: most('herald_circuit_open', 'platform, environment'),
        unit: 'short',
        legend: '{{platform}} {{environment}}',
      },
      {
        title: 'CPU of each process',
        query: perSecond('process_cpu_seconds_total', 'job, instance'),
        unit: 'short',
        legend: '{{job}} {{instance}}',
      },
      {
        title: 'Memory of each process',
        query: most('process_resident_memory_bytes', 'job, instance'),
        unit: 'bytes',
        legend: '{{job}} {{instance}}',
      },
    ],
  },
  {
    uid: 'herald-sending',
    title: 'Herald: sending',
    panels: [
      {
        title: 'Pushes by code',
        query: perSecond('herald_pushes_total', 'platform, code'),
        unit: 'reqps',
        legend: '{{platform}} {{code}}',
      },
      { title: 'Slowest of a hundred answers', query: p99('herald_provider_seconds', 'platform'), unit: 's', legend: '{{platform}}' },
      {
        title: 'Small sends: slowest of a hundred, from queued to the first answer',
        query: p99('herald_first_try_seconds', 'platform'),
        unit: 's',
        legend: '{{platform}}',
      },
      { title: 'Pushes in flight', query: most('herald_dispatch_window_held', 'instance'), unit: 'short', legend: '{{instance}}' },
      { title: 'Batches in work', query: most('herald_batches_in_work', 'instance'), unit: 'short', legend: '{{instance}}' },
      { title: 'Pages of devices cut', query: 'sum(rate(herald_fan_out_pages_total[1m]))', unit: 'reqps' },
      { title: 'Credentials slowed down', query: most('herald_slowed_credentials', 'platform'), unit: 'short', legend: '{{platform}}' },
      {
        title: 'Connections to providers',
        query: perSecond('herald_provider_connections_total', 'platform, event'),
        unit: 'reqps',
        legend: '{{platform}} {{event}}',
      },
      { title: 'Scheduled sends start late by', query: p99('herald_scheduler_lag_seconds', 'job'), unit: 's' },
    ],
  },
  {
    uid: 'herald-data',
    title: 'Herald: database',
    panels: [
      { title: 'Database answers', query: 'min by (job) (herald_database_up)', unit: 'short', legend: '{{job}}' },
      {
        title: 'Statements that wait for a connection',
        query: 'max by (job, pool) (herald_db_connections{state="waited_for"})',
        unit: 'short',
        legend: '{{job}} {{pool}}',
      },
      {
        title: 'Connections in use',
        query: 'sum by (job, pool) (herald_db_connections{state="in_use"})',
        unit: 'short',
        legend: '{{job}} {{pool}}',
      },
      { title: 'Slowest of a hundred sweeps', query: p99('herald_sweep_seconds', 'sweep'), unit: 's', legend: '{{sweep}}' },
      {
        title: 'Outcomes counted',
        query: perSecond('herald_outcomes_total', 'platform, outcome'),
        unit: 'reqps',
        legend: '{{platform}} {{outcome}}',
      },
      { title: 'Reports of devices', query: perSecond('herald_engagements_total', 'kind'), unit: 'reqps', legend: '{{kind}}' },
      { title: 'Reads refused', query: perSecond('herald_reads_refused_total', 'job'), unit: 'reqps', legend: '{{job}}' },
    ],
  },
  {
    uid: 'herald-queue',
    title: 'Herald: queue and calls',
    panels: [
      { title: 'Messages that wait', query: most('herald_messages_pending', 'durable'), unit: 'short', legend: '{{durable}}' },
      { title: 'Messages in work', query: most('herald_messages_unacked', 'durable'), unit: 'short', legend: '{{durable}}' },
      {
        title: 'Messages handled',
        query: perSecond('herald_messages_total', 'durable, result'),
        unit: 'reqps',
        legend: '{{durable}} {{result}}',
      },
      {
        title: 'Messages that came again',
        query: perSecond('herald_messages_redelivered_total', 'durable'),
        unit: 'reqps',
        legend: '{{durable}}',
      },
      {
        title: 'Requests without a leader',
        query: perSecond('herald_queue_no_leader_total', 'stream'),
        unit: 'reqps',
        legend: '{{stream}}',
      },
      { title: 'NATS stores', query: 'min(herald_queue_writable)', unit: 'short' },
      { title: 'Slowest of a hundred calls', query: p99('herald_call_seconds', 'call'), unit: 's', legend: '{{call}}' },
      {
        title: 'Event loop, slowest of a hundred turns',
        query: most('nodejs_eventloop_lag_p99_seconds', 'job, instance'),
        unit: 's',
        legend: '{{job}} {{instance}}',
      },
    ],
  },
  {
    uid: 'herald-webhooks',
    title: 'Herald: webhooks',
    panels: [
      { title: 'Deliveries', query: perSecond('herald_webhook_deliveries_total', 'outcome'), unit: 'reqps', legend: '{{outcome}}' },
      { title: 'Events that wait for their batch', query: 'max(herald_webhook_backlog)', unit: 'short' },
      { title: 'Oldest due delivery', query: 'max(herald_webhook_oldest_due_seconds)', unit: 's' },
      {
        title: 'Events dropped',
        query: 'sum(increase(herald_webhook_dropped_total[5m]))',
        unit: 'short',
        meaning: 'Too many waited for their endpoint.',
      },
      { title: 'Announcements dropped', query: perSecond('herald_announcements_dropped_total', 'job'), unit: 'reqps', legend: '{{job}}' },
    ],
  },
]

const [width, height, columns] = [12, 8, 2]
const source = { type: 'prometheus', uid: '${source}' }

/** Writes a board in Grafana's JSON model of dashboards (grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model). */
export const writeBoard = ({ uid, title, panels }: Board) => ({
  uid,
  title,
  tags: ['herald'],
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  templating: { list: [{ name: 'source', label: 'Source', type: 'datasource', query: 'prometheus' }] },
  panels: panels.map(({ title: name, query, unit, legend = '', meaning = '' }, place) => ({
    id: place + 1,
    type: 'timeseries',
    title: name,
    description: meaning,
    datasource: source,
    gridPos: { w: width, h: height, x: (place % columns) * width, y: Math.floor(place / columns) * height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom', showLegend: legend !== '' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: [{ refId: 'A', datasource: source, expr: query, legendFormat: legend }],
  })),
})
