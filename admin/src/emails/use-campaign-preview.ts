import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { change } from '../api/api.ts'
import {
  PreviewCampaignDocument,
  type PreviewCampaignMutation,
  type PreviewEmailCampaignInput,
} from '../generated/operations.ts'

/** What a customer would get, and how many would. It changes nothing, so it is asked like a query. */
export const useCampaignPreview = (
  input: PreviewEmailCampaignInput,
): UseQueryResult<PreviewCampaignMutation['previewEmailCampaign']> =>
  useQuery({
    queryKey: ['emails', 'preview', input],
    queryFn: async () => (await change(PreviewCampaignDocument, { input })).previewEmailCampaign,
    placeholderData: keepPreviousData,
  })
