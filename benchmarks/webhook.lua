-- Sends the review in the file that REVIEW names to the mutating webhook.
local file = assert(io.open(os.getenv("REVIEW"), "rb"))
wrk.method = "POST"
wrk.path = "/webhooks/mutate"
wrk.headers["Content-Type"] = "application/json"
wrk.body = file:read("*all")
file:close()
