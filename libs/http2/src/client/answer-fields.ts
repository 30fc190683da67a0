import { brokenFieldRule, isUsualField } from '../fields.ts'

/**
 * Takes the decoded fields of a header block. `:status` is checked (RFC 9113 section 8.3.2); another field that breaks a rule is dropped, because
 * real servers send such fields (curl#9448, envoy#23267). All streams of a connection share one such object.
 */
export class AnswerFields {
  /** The value of `:status`; 0 until it has come. */
  status = 0
  headers = new Map<string, string>()
  /** Whether `:status` came twice, after a regular field, or with a value that is no status. */
  isStatusWrong = false
  private sawRegular = false

  begin(): void {
    this.status = 0
    this.isStatusWrong = false
    this.sawRegular = false
    this.headers = new Map()
  }

  readonly take = (name: string, value: string): void => {
    if (name.charCodeAt(0) === 58) {
      if (name !== ':status') return
      // `:status` comes once and before all other fields.
      const isRight = this.status === 0 && !this.sawRegular && (value === '200' || /^[1-9]\d\d$/.test(value))
      if (isRight) this.status = Number(value)
      else this.isStatusWrong = true
      return
    }
    this.sawRegular = true
    if (!isUsualField(name, value) && brokenFieldRule(name, value) !== undefined) return
    const before = this.headers.get(name)
    this.headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
}
