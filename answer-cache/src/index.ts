export { AnswerCache, type AnswerCounts, type Answered, type Validity } from './answer-cache.ts'
