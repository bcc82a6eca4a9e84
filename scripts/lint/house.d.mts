import { type RuleTester } from 'oxlint/plugins-dev'

type Rule = Parameters<RuleTester['run']>[1]

declare const house: {
  readonly rules: Readonly<Record<'function-style' | 'message-texts' | 'names', Rule>>
}
export default house
