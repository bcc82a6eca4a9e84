import { type GraphQLSchema, introspectionFromSchema } from 'graphql'
import { type PageHandler, servePage } from './page.ts'

/** The page that a browser finds at /graphql: GraphiQL with the schema, a place for the key, and a first query to run. */
export interface GraphiQLSettings {
  readonly title: string
  readonly defaultQuery: string
  readonly schema: GraphQLSchema
}

export const graphiql = (settings: GraphiQLSettings): PageHandler =>
  servePage(async () => {
    // Nine megabytes of page are loaded only at its first request.
    const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
    const { title, defaultQuery, schema } = settings
    return withKeyBar(
      renderGraphiQL({
        title,
        defaultQuery: `# All types and fields are described at /docs.\n\n${defaultQuery}`,
      }),
      schema,
    )
  })

const render = 'YogaGraphiQL.renderYogaGraphiQL('
const root = '<div id="root"></div>'
const head = '</head>'

/** Throws where GraphiQL's page is another one than this was written for. */
function withKeyBar(page: string, schema: GraphQLSchema): string {
  const call = page.lastIndexOf(render)
  if (call < 0 || !page.includes(root) || !page.includes(head))
    throw new Error('the page of GraphiQL is not what it was')
  const introspection = JSON.stringify(introspectionFromSchema(schema)).replaceAll('<', String.raw`\u003c`)
  const scripted = page.slice(0, call) + keyScript(introspection) + page.slice(call)
  // Not by `replace`, for which `$` in a text has a meaning. Both stand once before the scripts.
  const [before, ...scripts] = scripted.split(root)
  const [top, ...body] = (before ?? '').split(head)
  return [[top, ...body].join(`${style}\n    ${head}`), ...scripts].join(`${bar}\n      ${root}`)
}

const bar = `<form id="key-bar">
        <label for="api-key">API key</label>
        <input id="api-key" type="password" autocomplete="off" spellcheck="false"
          placeholder="Paste the key that npm start printed: cg_live_…">
        <span id="key-state" role="status"></span>
      </form>`

const style = `<style>
      body { display: flex; flex-direction: column; height: 100vh; margin: 0 }
      #root { flex: 1; min-height: 0; height: auto }
      .graphiql-container { height: 100% }
      #key-bar { display: flex; gap: 0.6rem; align-items: center; padding: 0.5rem 1rem; font: 15px system-ui, sans-serif;
        background: #1f3a5f; color: #fff }
      #key-bar input { flex: 1; max-width: 36rem; padding: 0.3rem 0.5rem; font: inherit; border: 1px solid #8ab; border-radius: 4px }
    </style>`

/**
 * Sends the key of the bar with every request, unless the Headers pane says another one. It is kept in the tab's own storage, as
 * all that GraphiQL keeps: it outlives a reload, and goes with the tab. Without a key nothing is sent.
 */
const keyScript = (introspection: string): string => `
        const input = document.getElementById('api-key');
        const state = document.getElementById('key-state');
        const stored = 'commerce-graph.key';
        const showState = () => {
          state.textContent = input.value.trim() === '' ? 'No key yet' : 'Kept for this tab';
        };
        input.value = sessionStorage.getItem(stored) || '';
        input.addEventListener('input', () => {
          sessionStorage.setItem(stored, input.value.trim());
          showState();
        });
        document.getElementById('key-bar').addEventListener('submit', (event) => event.preventDefault());
        showState();
        const send = window.fetch.bind(window);
        window.fetch = (resource, init = {}) => {
          const headers = new Headers(init.headers);
          if (!headers.has('authorization')) {
            const key = input.value.trim().replace(/^Bearer /i, '');
            if (key === '') {
              input.focus();
              const message = 'Paste the key that npm start printed into the field above, and run the query again.';
              const body = JSON.stringify({ errors: [{ message }] });
              return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
            }
            headers.set('authorization', 'Bearer ' + key);
          }
          return send(resource, { ...init, headers });
        };
        // GraphiQL writes the query into the address, and opens a tab for what it begins with unless there is one with just that.
        const { tabs = [], activeTabIndex = 0 } = JSON.parse(sessionStorage.getItem('graphiql:tabState') || '{}');
        const { query, variables, headers } = tabs[activeTabIndex] || {};
        if (query) history.replaceState({}, '', location.pathname);
        const render = YogaGraphiQL.renderYogaGraphiQL;
        YogaGraphiQL.renderYogaGraphiQL = (root, options) =>
          render(root, {
            ...options,
            ...(query && { query, variables: variables || '', headers: headers || '' }),
            schema: ${introspection},
            storage: window.sessionStorage,
            shouldPersistHeaders: true,
          });
        `
