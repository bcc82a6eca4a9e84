import { type Rule } from 'eslint'

export declare const functionStyle: Rule.RuleModule
