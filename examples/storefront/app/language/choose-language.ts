import { type ActionFunctionArgs, redirect } from 'react-router'
import { languages } from './catalogue.ts'

/** Remembers the language in a cookie for a year, and goes back to where the visitor was. */
export async function action({ request }: ActionFunctionArgs): Promise<Response> {
  const form = await request.formData()
  const language = languages.find((each) => each === form.get('language')) ?? 'en'
  const back = form.get('back')
  // Only an address of these pages: another site's would make this a way to lead visitors astray.
  const target = typeof back === 'string' && /^\/(?![/\\])/.test(back) ? back : '/'
  return redirect(target, {
    headers: { 'Set-Cookie': `language=${language}; Path=/; Max-Age=31536000; SameSite=Lax` },
  })
}
