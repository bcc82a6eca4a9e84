/** A module of an application in the form that relay-compiler needs: operations are named after it. */
export const relayModule = 'Blog.js'

export const relayDocuments = `
graphql\`
  query BlogFrontPageQuery($first: Int!) {
    ...Blog_frontPage @arguments(first: $first)
  }
\`
graphql\`
  fragment Blog_frontPage on query_root
  @refetchable(queryName: "BlogFrontPagePaginationQuery")
  @argumentDefinitions(first: { type: "Int!" }, after: { type: "String" }) {
    article_connection(first: $first, after: $after, order_by: { created_at: asc }, where: { views: { _gte: 0 } })
      @connection(key: "Blog_article_connection") {
      __id
      edges {
        node {
          id
          ...Blog_article
        }
      }
    }
  }
\`
graphql\`
  fragment Blog_article on article {
    title
    author {
      id
      name
    }
  }
\`
graphql\`
  query BlogAuthorQuery($id: ID!, $last: Int!) {
    node(id: $id) {
      __typename
      ... on author {
        name
        ...Blog_author @arguments(last: $last) @alias(as: "author")
      }
    }
  }
\`
graphql\`
  fragment Blog_author on author
  @refetchable(queryName: "BlogAuthorPaginationQuery")
  @argumentDefinitions(last: { type: "Int!" }, before: { type: "String" }) {
    articles_connection(last: $last, before: $before, order_by: { created_at: asc })
      @connection(key: "Blog_articles_connection") {
      edges {
        node {
          title
        }
      }
    }
  }
\`
graphql\`
  mutation BlogPublishMutation($title: String!, $connections: [ID!]!) {
    insert_article_one(object: { title: $title, is_published: true })
      @appendNode(connections: $connections, edgeTypeName: "articleEdge") {
      id
      ...Blog_article
    }
  }
\`
graphql\`
  mutation BlogRenameMutation($from: String!, $to: String!) {
    update_article(where: { title: { _eq: $from } }, _set: { title: $to }) {
      affected_rows
      returning {
        id
        title
      }
    }
  }
\`
graphql\`
  mutation BlogDeleteMutation($title: String!, $connections: [ID!]!) {
    delete_article(where: { title: { _eq: $title } }) {
      returning {
        id @deleteEdge(connections: $connections)
      }
    }
  }
\`
graphql\`
  subscription BlogNodeSubscription($id: ID!) {
    node(id: $id) {
      id
      ... on article {
        title
      }
    }
  }
\`
`
