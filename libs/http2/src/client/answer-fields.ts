import { brokenFieldRule, isUsualField } from '../fields.ts'

/**
 * Takes the decoded fields of one header block of an answer and checks them strictly (RFC 9113 section 8.3.2). All streams of a connection share one
 * such object, because no frame of another stream may interrupt a header block.
 */
export class AnswerFields {
  /** The value of `:status`; 0 until it has come. */
  status = 0
  headers = new Map<string, string>()
  isMalformed = false
  private sawRegular = false

  begin(): void {
    this.status = 0
    this.isMalformed = false
    this.sawRegular = false
    this.headers = new Map()
  }

  readonly take = (name: string, value: string): void => {
    if (name.charCodeAt(0) === 58) {
      // An answer has only the pseudo-header `:status`, once and before all other fields.
      const isRight = name === ':status' && this.status === 0 && !this.sawRegular && (value === '200' || /^[1-9]\d\d$/.test(value))
      if (isRight) this.status = Number(value)
      else this.isMalformed = true
      return
    }
    this.sawRegular = true
    if (!isUsualField(name, value) && brokenFieldRule(name, value) !== undefined) this.isMalformed = true
    const before = this.headers.get(name)
    this.headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
}
