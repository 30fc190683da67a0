import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import type { Report } from './test-report.ts'

/** A reporter for vitest. It writes what `npm test` counts into the file that `HERALD_TEST_REPORT` names. */
export default class ReportWriter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const report: Report = { files: modules.map(describeFile) }
    writeFileSync(process.env['HERALD_TEST_REPORT'] ?? '', JSON.stringify(report))
  }
}

function describeFile(module: TestModule): Report['files'][number] {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  return {
    path: module.relativeModuleId,
    failed: module.state() === 'failed',
    seconds: (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1_000,
    tests: Array.from(module.children.allTests(), (test) => ({ title: test.fullName, state: test.result().state })),
  }
}
